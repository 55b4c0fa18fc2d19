// The client of ubersim.h for programs in C++17: a robot is a value, errors are exceptions, nothing is freed by hand.
//
//     uber::Robot robot = uber::Robot::from_file("127.0.0.1", "9040", "robots/segway.xml");
//     while (robot.next_frame())
//         if (auto tilt = robot.number("Tilt"))
//             robot.set("LMotor", UBERSIM_VEL, 10 * *tilt);
//
// Compile ubersim.c and ubersim_program.c along, as C, and link all of it.
#ifndef UBERSIM_HPP
#define UBERSIM_HPP

#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ubersim.h"

namespace uber {

// What went wrong, with the server's own words if it has said why.
class Error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// The bytes of a reading; good until the next frame.
class Bytes {
  public:
    Bytes(const unsigned char *data, std::size_t size) : data_(data), size_(size) {}
    const unsigned char *data() const { return data_; }
    std::size_t size() const { return size_; }
    const unsigned char *begin() const { return data_; }
    const unsigned char *end() const { return data_ + size_; }

    // As numbers of one type, such as float; what is left of a whole number of them is an error.
    template <class Number> std::vector<Number> as(std::size_t skip = 0) const
    {
        if (skip > size_ || (size_ - skip) % sizeof(Number))
            throw Error("a reading of " + std::to_string(size_) + " bytes is no array of such numbers");
        std::vector<Number> numbers((size_ - skip) / sizeof(Number));
        if (!numbers.empty())
            std::memcpy(numbers.data(), data_ + skip, size_ - skip);
        return numbers;
    }

  private:
    const unsigned char *data_;
    std::size_t size_;
};

// The program's side of a robot in the world; it leaves the world with the object.
class Robot {
  public:
    // Brings a robot to a server and waits until it is in the world. A host "unix:PATH" is a Unix socket.
    Robot(const std::string &host, const std::string &port, const std::string &xml)
        : Robot([&](char *error) { return ubersim_connect(host.c_str(), port.c_str(), xml.c_str(), error); })
    {
    }

    static Robot from_file(const std::string &host, const std::string &port, const std::string &path)
    {
        return Robot([&](char *error) { return ubersim_connect_file(host.c_str(), port.c_str(), path.c_str(), error); });
    }

    // The server's welcome, in JSON.
    std::string_view welcome() const { return ubersim_welcome(robot_.get()); }

    // Why no frame comes any more, in JSON, if the server has said so (version 2 of the protocol).
    std::optional<std::string_view> end() const
    {
        const char *text = ubersim_end(robot_.get());
        return text ? std::optional<std::string_view>(text) : std::nullopt;
    }

    // Acknowledges the frame before and waits for the next one; false when the server has ended.
    bool next_frame()
    {
        int status = ubersim_next_frame(robot_.get());
        check(status < 0);
        return status > 0;
    }

    // Simulation time of this frame [s].
    double time() const { return ubersim_time(robot_.get()); }

    // The newest reading of a sensor in this frame, if there is one.
    std::optional<Bytes> bytes(const std::string &sensor) const
    {
        std::size_t size = 0;
        const unsigned char *data = ubersim_bytes(robot_.get(), sensor.c_str(), &size);
        return data ? std::optional<Bytes>(Bytes(data, size)) : std::nullopt;
    }

    // The same of a sensor whose reading is a single number.
    std::optional<float> number(const std::string &sensor) const
    {
        float value;
        return ubersim_float(robot_.get(), sensor.c_str(), &value) ? std::optional<float>(value) : std::nullopt;
    }

    // Sets a property of a component; it takes effect after the robot's latency.
    void set(const std::string &component, std::uint32_t property, float value)
    {
        check(ubersim_set(robot_.get(), component.c_str(), property, value));
    }

    // Sends a message with a payload of its own: to a component that takes such, or Cancel, Declare and Log.
    void send(const std::string &name, std::string_view payload)
    {
        check(ubersim_send(robot_.get(), name.c_str(), payload.data(), payload.size()));
    }

    void set_latency(float milliseconds) { check(ubersim_set_latency(robot_.get(), milliseconds)); }

    // The commands after it are sent at this instant of simulation time [s].
    void stamp(double time) { check(ubersim_stamp(robot_.get(), time)); }

    // Parameters of the program, which supervisors and people at the live page may change (version 2 of the protocol).
    void declare(const std::string &name, double value, double low = -HUGE_VAL, double high = HUGE_VAL)
    {
        check(ubersim_declare_number(robot_.get(), name.c_str(), value, low, high));
    }
    void declare(const std::string &name, int value, double low = -HUGE_VAL, double high = HUGE_VAL)
    {
        declare(name, static_cast<double>(value), low, high);
    }
    void declare(const std::string &name, bool on) { check(ubersim_declare_switch(robot_.get(), name.c_str(), on)); }
    void declare(const std::string &name, const char *text) { check(ubersim_declare_text(robot_.get(), name.c_str(), text)); }
    void declare(const std::string &name, const std::string &value, const std::vector<std::string> &choices)
    {
        std::vector<const char *> words;
        for (const std::string &choice : choices)
            words.push_back(choice.c_str());
        words.push_back(nullptr);
        check(ubersim_declare_choice(robot_.get(), name.c_str(), value.c_str(), words.data()));
    }

    // What a number or a switch (0 or 1) is in this frame, and what a choice or a text is.
    double parameter(const std::string &name) const { return ubersim_parameter(robot_.get(), name.c_str()); }
    std::string parameter_text(const std::string &name) const
    {
        const char *text = ubersim_parameter_text(robot_.get(), name.c_str());
        if (!text)
            throw Error("there is no text or choice " + name);
        return text;
    }

    // What the program thinks, for logs and the live page.
    void log(const std::string &name, double value) { check(ubersim_log_number(robot_.get(), name.c_str(), value)); }
    void log(const std::string &name, const std::vector<double> &values)
    {
        check(ubersim_log_vector(robot_.get(), name.c_str(), values.data(), values.size()));
    }
    void log(const std::string &name, const std::string &text, int level = UBERSIM_INFO)
    {
        check(ubersim_log_text(robot_.get(), name.c_str(), level, text.c_str()));
    }
    // The bytes of a PNG or JPEG file.
    void log_image(const std::string &name, std::string_view file)
    {
        check(ubersim_log_image(robot_.get(), name.c_str(), file.data(), file.size()));
    }
    // Three numbers for each point, in the world or in the space of a body that carries them.
    void log_points(const std::string &name, const std::vector<float> &xyz, const std::string &space = "")
    {
        check(ubersim_log_points(robot_.get(), name.c_str(), space.c_str(), xyz.data(), xyz.size() / 3));
    }
    // JSON: lines, points, text, at, color, width, and space, the name of a body or of a camera.
    void log_drawing(const std::string &name, const std::string &json)
    {
        check(ubersim_log_drawing(robot_.get(), name.c_str(), json.c_str()));
    }

  private:
    struct Leave {
        void operator()(::ubersim *robot) const { ubersim_close(robot); }
    };
    std::unique_ptr<::ubersim, Leave> robot_;

    template <class Open, class = decltype(std::declval<Open>()(static_cast<char *>(nullptr)))> explicit Robot(Open open)
    {
        char error[UBERSIM_ERROR_SIZE] = "";
        robot_.reset(open(error));
        if (!robot_)
            throw Error(error);
    }

    void check(bool failed) const
    {
        if (failed)
            throw Error(ubersim_error(robot_.get()));
    }
};

} // namespace uber
#endif
