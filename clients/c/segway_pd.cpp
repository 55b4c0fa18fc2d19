// Balances the Segway, as segway_pd.c does and with the same bits: segway_pd_cpp HOST PORT XML
#include <algorithm>
#include <cstdio>
#include <optional>

#include "ubersim.hpp"

namespace {

constexpr double KP = 200.0, KD = 40.0, TOP_SPEED = 14.9, PERIOD = 0.01;
constexpr double BALANCE = 4.0 * (3.14159265358979323846 / 180.0);

class Balancer {
  public:
    double update(double tilt)
    {
        double rate = last_ ? (tilt - *last_) / PERIOD : 0.0;
        last_ = tilt;
        double acceleration = KP * (BALANCE - tilt) - KD * rate;
        speed_ = std::clamp(speed_ + acceleration * PERIOD, -TOP_SPEED, TOP_SPEED);
        return speed_;
    }

  private:
    double speed_ = 0.0;
    std::optional<double> last_;
};

} // namespace

int main(int argc, char **argv)
{
    if (argc != 4) {
        std::fprintf(stderr, "usage: %s HOST PORT XML\n", argv[0]);
        return 2;
    }
    try {
        auto robot = uber::Robot::from_file(argv[1], argv[2], argv[3]);
        Balancer balancer;
        long frames = 0;
        for (; robot.next_frame(); frames++)
            if (auto tilt = robot.number("Tilt")) {
                auto speed = static_cast<float>(balancer.update(*tilt));
                robot.set("LMotor", UBERSIM_VEL, speed);
                robot.set("RMotor", UBERSIM_VEL, speed);
            }
        std::printf("%ld frames\n", frames);
    } catch (const uber::Error &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
